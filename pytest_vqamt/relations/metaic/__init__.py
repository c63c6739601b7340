"""Yu, Zhong, Qin, Yao, Wang and He: Automated Testing of Image Captioning Systems (MetaIC). ISSTA 2022."""
